// Parts of one subject: another file costs a second of a core.
import './openapi.ts';
import './openapi-rules.ts';
