// Parts of one subject: another file costs a second of a core.
import './avatar.ts';
import './mail-purpose.ts';
import './people.ts';
