// Parts of one subject: another file costs a second of a core.
import './builders.ts';
import './verification.ts';
import './find.ts';
import './first-party.ts';
import './pictures.ts';
import './products.ts';
import './shelves.ts';
import './trouble.ts';
