// Parts of one subject: another file costs a second of a core.
import './members.ts';
import './invitations.ts';
import './new-product.ts';
import './roles.ts';
