import { validateDisplayName, validateHandle } from '../../../domain/identity/person-fields.ts';
import { changeProfile } from '../../../domain/identity/profile.command.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { page, redirect } from '../../http/response.ts';
import { defineRoute, SESSION_PAGE, SESSION_FORM } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { text, formBody } from '../../http/fields.ts';
import { explain } from '../field-problems.ts';
import { PROFILE_PATH as PATH, profilePage, type Problems } from './profile.page.ts';

const showSettings = defineRoute({
  ...SESSION_PAGE,
  path: '/settings',
  summary: 'Go to the settings',
  input: {},
  handler: () => redirect(PATH),
});

const showProfile = defineRoute({
  ...SESSION_PAGE,
  path: PATH,
  summary: 'Show the profile settings',
  input: {},
  handler: (context) => page(context, profilePage(context, { values: context.currentUser })),
});

const saveProfile = defineRoute({
  ...SESSION_FORM,
  path: PATH,
  summary: 'Change the profile',
  proof: 'none',
  input: { body: formBody({ handle: text(24), display_name: text(80) }) },
  async handler(context) {
    const { services, body, currentUser } = context;
    const handle = validateHandle(body.handle);
    const name = validateDisplayName(body.display_name);
    const values = { handle: handle.value, displayName: name.value };
    const refuse = (problems: Problems) =>
      page(context, profilePage(context, { values, problems }), { status: 422 });
    if (handle.problem || name.problem) {
      return refuse({ handle: explain(handle.problem), displayName: explain(name.problem) });
    }
    const profile = { personId: currentUser.personId, ...values };
    const changed = await changeProfile(services.database.em(), profile);
    if (isRefusal(changed)) return refuse({ handle: explain('taken') });
    return redirect(withNotice(PATH, 'saved'));
  },
});

export const routes = [showSettings, showProfile, saveProfile];
