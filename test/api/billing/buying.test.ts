// Parts of one subject: another file costs a second of a core.
import './buy.ts';
import './buy-links.ts';
import './checkout.ts';
import './library.ts';
import './member.ts';
import './member-fees.ts';
import './return-to.ts';
import './unfinished-and-subscriptions.ts';
