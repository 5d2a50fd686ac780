// Parts of one subject: another file costs a second of a core.
import './guides.ts';
import './operating.ts';
import './pool-and-seal.ts';
import './privacy.ts';
