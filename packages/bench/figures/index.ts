// All figures, in the order of the table.
import type { Figure } from '../figure.ts';
import { b1 } from './b1.ts';
import { b2 } from './b2.ts';
import { b3 } from './b3.ts';
import { l1 } from './l1.ts';
import { m1a, m1w } from './m1.ts';
import { p1 } from './p1.ts';
import { p10 } from './p10.ts';
import { p11 } from './p11.ts';
import { p12 } from './p12.ts';
import { p13 } from './p13.ts';
import { p14 } from './p14.ts';
import { p15 } from './p15.ts';
import { p16 } from './p16.ts';
import { p16p99 } from './p16-p99.ts';
import { p17 } from './p17.ts';
import { p18a } from './p18.ts';
import { p18b } from './p18b.ts';
import { p19a, p19w } from './p19.ts';
import { p2 } from './p2.ts';
import { p20 } from './p20.ts';
import { p3 } from './p3.ts';
import { p4 } from './p4.ts';
import { p5 } from './p5.ts';
import { p6 } from './p6.ts';
import { p7 } from './p7.ts';
import { p8 } from './p8.ts';
import { p9 } from './p9.ts';
import { r1 } from './r1.ts';
import { s1 } from './s1.ts';
import { s2 } from './s2.ts';
import { s3 } from './s3.ts';
import { s4 } from './s4.ts';
import { w11 } from './w11.ts';
import { w1 } from './w1.ts';

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
  s1,
  s2,
  s3,
  s4,
  w11,
  l1,
  m1a,
  m1w,
  b1,
  b2,
  b3,
];
