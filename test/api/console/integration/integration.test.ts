// Parts of one subject: another file costs a second of a core.
import './console.ts';
import './integrate.ts';
import './notifications.ts';
import './requests.ts';
import './usage.ts';
