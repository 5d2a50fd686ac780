import { z } from 'zod';
import { validateDisplayName, validateHandle } from '../../../domain/identity/person-fields.ts';
import { changeProfile } from '../../../domain/identity/profile.command.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { page, redirect } from '../../http/response.ts';
import { defineRoute } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { text } from '../../http/fields.ts';
import { explain } from '../field-problems.ts';
import { FORM_ERRORS } from '../../http/errors.ts';
import { PROFILE_PATH as PATH, profilePage, type Problems } from './profile.page.ts';

const showSettings = defineRoute({
  method: 'GET',
  path: '/settings',
  summary: 'Go to the settings',
  credential: 'session',
  limit: null,
  input: {},
  statuses: [303],
  errors: ['unavailable'],
  handler: () => redirect(PATH),
});

const showProfile = defineRoute({
  method: 'GET',
  path: PATH,
  summary: 'Show the profile settings',
  credential: 'session',
  limit: null,
  input: {},
  statuses: [200, 303],
  errors: ['unavailable'],
  handler(context) {
    const view = profilePage(context, {
      values: context.currentUser,
    });
    return page(context, view);
  },
});

const saveProfile = defineRoute({
  method: 'POST',
  path: PATH,
  summary: 'Change the profile',
  proof: 'none',
  credential: 'session',
  limit: 'settings',
  input: { body: { kind: 'form', shape: z.object({ handle: text(24), display_name: text(80) }) } },
  statuses: [303, 422],
  errors: FORM_ERRORS,
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
