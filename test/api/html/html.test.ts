// Parts of one subject: another file costs a second of a core.
import './contrast.ts';
import './parts.ts';
