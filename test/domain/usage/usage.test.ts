// Parts of one subject: another file costs a second of a core.
import './committed-marks-cache.ts';
import './decide-usage.ts';
import './history/calendar.ts';
import './history/explain-day.ts';
