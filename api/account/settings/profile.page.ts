import { html, type HtmlSafeString } from '@prairielearn/html';
import type { View, SessionContext } from '../../http/route.ts';
import { copyable } from '../../html/copy.ts';
import { card } from '../../html/parts/card.ts';
import { form, smallButton } from '../../html/form.ts';
import { personImageUrl } from '../person-image.routes.ts';
import { nameFields } from '../sign-up/sign-up.page.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { settingsPage } from './settings.page.ts';

type Values = { handle: string; displayName: string };
export type Problems = Partial<Record<keyof Values | 'picture', string | null>>;

export const PROFILE_PATH = '/settings/profile';

export function profilePage(
  context: SessionContext,
  props: { values: Values; problems?: Problems },
): View {
  const { values, problems = {} } = props;
  const content = html`<p class="hint">Products and other people can see your profile.</p>
    ${card({
      title: 'Name',
      body: form({
        action: PROFILE_PATH,
        token: sessionFormToken(context),
        button: 'Save profile',
        isMain: true,
        fields: nameFields(values, problems),
      }),
    })}
    ${card({ title: 'Picture', body: pictureForms(context, problems.picture) })}
    ${card({
      title: 'User ID',
      body: copyable({
        id: 'user-id',
        label: 'user ID',
        text: context.currentUser.personId,
        mark: html`data-person-id`,
        isLine: true,
      }),
      foot: 'Products know you by it. It never changes.',
    })}`;
  return { ...settingsPage({ path: PROFILE_PATH, content }), hasCopyButtons: true };
}

/** The current picture, and the forms to replace and remove it. */
function pictureForms(context: SessionContext, problem: string | null | undefined): HtmlSafeString {
  const token = sessionFormToken(context);
  const { imageName } = context.currentUser;
  return html`<div class="picture">
    <img class="portrait" src="${personImageUrl('', context.currentUser)}" alt="Your picture" />
    <div>
      ${form({
        action: `${PROFILE_PATH}/picture`,
        token,
        button: 'Upload picture',
        isUpload: true,
        fields: [
          {
            label: 'New picture',
            name: 'picture',
            type: 'file',
            hint: 'JPEG, PNG or WebP, up to 4 MiB. It will be cropped to a square.',
            problem,
          },
        ],
      })}
      ${
        imageName === null
          ? ''
          : smallButton({
              action: `${PROFILE_PATH}/picture/remove`,
              token,
              button: 'Remove picture',
            })
      }
    </div>
  </div>`;
}
