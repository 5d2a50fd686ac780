// Parts of one subject: another file costs a second of a core.
import './amounts.ts';
import './ids.ts';
import './money.ts';
import './names.ts';
import './public-address.ts';
import './secrets.ts';
import './validate-lines.ts';
