// Parts of one subject: another file costs a second of a core.
import './openapi.ts';
import './openapi-rules.ts';
import './examples.ts';
import './guides.ts';
import './reference.ts';
import './search.ts';
