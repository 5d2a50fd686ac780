import { z } from 'zod';
import { changePicture } from '../../../domain/identity/profile.command.ts';
import { makeImage } from '../../../platform/images.ts';
import { page, redirect } from '../../http/response.ts';
import { defineRoute, SESSION_FORM } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { PROFILE_PATH as PATH, profilePage } from './profile.page.ts';
import { NO_FIELDS } from '../../http/fields.ts';

const LIMIT_BYTES = 4 * 1024 * 1024;
const SIZE = { square: 256 };
const PROBLEMS = {
  no_picture: 'Choose a JPEG, PNG or WebP picture.',
  too_large:
    'Choose a JPEG, PNG or WebP picture with fewer pixels. Unpacked, this one is too large.',
};

const savePicture = defineRoute({
  ...SESSION_FORM,
  path: `${PATH}/picture`,
  summary: 'Upload a picture',
  proof: 'none',
  input: {
    body: {
      kind: 'upload',
      shape: z.object({ picture: z.instanceof(Buffer) }),
      limitBytes: LIMIT_BYTES,
    },
  },
  async handler(context) {
    const { services, currentUser, body } = context;
    const bytes = await makeImage(body.picture, SIZE, { caller: currentUser.personId });
    if ('refused' in bytes) {
      const problems = { picture: PROBLEMS[bytes.refused] };
      return page(context, profilePage(context, { values: currentUser, problems }), {
        status: 422,
      });
    }
    await changePicture(services.database.em(), { personId: currentUser.personId, bytes });
    return redirect(withNotice(PATH, 'saved'));
  },
});

const removePicture = defineRoute({
  ...SESSION_FORM,
  path: `${PATH}/picture/remove`,
  summary: 'Remove the uploaded picture',
  proof: 'none',
  input: { body: NO_FIELDS },
  async handler({ services, currentUser }) {
    const { personId } = currentUser;
    await changePicture(services.database.em(), { personId, bytes: null });
    return redirect(withNotice(PATH, 'saved'));
  },
});

export const routes = [savePicture, removePicture];
