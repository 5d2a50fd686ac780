// All figures, in the order of the table.
import type { Figure } from '../figure.ts';
import { b1 } from './money/b1.ts';
import { b2 } from './money/b2.ts';
import { b3 } from './money/b3.ts';
import { g4 } from './size/g4.ts';
import { g5a, g5b } from './deliveries/g5.ts';
import { g6 } from './deliveries/g6.ts';
import { g9 } from './size/g9.ts';
import { l1 } from './deliveries/l1.ts';
import { m1a, m1w } from './size/m1.ts';
import { p1 } from './check/p1.ts';
import { p10 } from './requests/p10.ts';
import { p11 } from './requests/p11.ts';
import { p12 } from './requests/p12.ts';
import { p13 } from './requests/p13.ts';
import { p14 } from './deliveries/p14.ts';
import { p15 } from './deliveries/p15.ts';
import { p16 } from './deliveries/p16.ts';
import { p16p99 } from './deliveries/p16-p99.ts';
import { p17 } from './deliveries/p17.ts';
import { p18a } from './size/p18.ts';
import { p18b } from './deliveries/p18b.ts';
import { p19a, p19w } from './size/p19.ts';
import { p2 } from './check/p2.ts';
import { p20 } from './deliveries/p20.ts';
import { p3 } from './check/p3.ts';
import { p4 } from './check/p4.ts';
import { p5 } from './check/p5.ts';
import { p6 } from './check/p6.ts';
import { p7 } from './requests/p7.ts';
import { p8 } from './requests/p8.ts';
import { p9 } from './check/p9.ts';
import { q1, q4 } from './requests/q.ts';
import { r1 } from './check/r1.ts';
import { s1 } from './requests/s1.ts';
import { s2 } from './requests/s2.ts';
import { s3 } from './money/s3.ts';
import { s4 } from './money/s4.ts';
import { u1m, u1s } from './pool/u1.ts';
import { u1p } from './pool/u1p.ts';
import { u2 } from './pool/u2.ts';
import { u3 } from './pool/u3.ts';
import { u4 } from './size/u4.ts';
import { u5 } from './size/u5.ts';
import { w11 } from './deliveries/w11.ts';
import { w1 } from './requests/w1.ts';

export const FIGURES: readonly Figure[] = [
  r1,
  w1,
  p1,
  p2,
  p3,
  p4,
  p5,
  p6,
  p7,
  p8,
  p9,
  p10,
  p11,
  p12,
  p13,
  p14,
  p15,
  p16,
  p16p99,
  p17,
  p18a,
  p18b,
  p19a,
  p19w,
  p20,
  q1,
  q4,
  s1,
  s2,
  s3,
  s4,
  w11,
  l1,
  g4,
  g5a,
  g5b,
  g6,
  g9,
  m1a,
  m1w,
  u4,
  b1,
  b2,
  b3,
  u1s,
  u1m,
  u1p,
  u2,
  u3,
  u5,
];
