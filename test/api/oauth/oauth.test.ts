// Parts of one subject: another file costs a second of a core.
import './token.ts';
import './exchange.ts';
import './grant-refusals.ts';
import './authorize.ts';
import './consent.ts';
import './bearer.ts';
import './clients-of-others.ts';
