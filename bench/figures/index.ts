// All figures, in the order of the table.
import type { Figure } from '../figure.ts';
import { p12 } from './p12.ts';
import { p13 } from './p13.ts';
import { p7 } from './p7.ts';
import { p8 } from './p8.ts';
import { r1 } from './r1.ts';
import { w1 } from './w1.ts';

export const FIGURES: readonly Figure[] = [r1, w1, p7, p8, p12, p13];
