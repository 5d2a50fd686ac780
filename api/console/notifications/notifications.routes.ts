import { z } from 'zod';
import { markNotifications } from '../../../domain/notifications/notification.command.ts';
import { listNotifications } from '../../../domain/notifications/notification.repository.ts';
import { listProductsOf } from '../../../domain/catalog/product.repository.ts';
import { page, redirect } from '../../http/response.ts';
import { uuid } from '../../http/fields.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { defineRoute } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { NOTIFICATIONS } from '../console-frame.ts';
import { findFailing } from '../requests/find-issues.ts';
import { notificationsPage } from './notifications.page.ts';
import { unreadOf } from './unread.ts';
import { FORM_ERRORS } from '../../http/errors.ts';

const shared = { path: NOTIFICATIONS, credential: 'session', limit: null } as const;

const showNotifications = defineRoute({
  ...shared,
  method: 'GET',
  summary: 'List notifications',
  input: { query: z.object({ before: uuid().optional().catch(undefined) }) },
  statuses: [200, 303],
  errors: ['unavailable'],
  async handler(context) {
    const { before = null } = context.query;
    const em = context.services.database.em();
    const found = await listNotifications(em, { personId: context.currentUser.personId, before });
    const products = await listProductsOf(em, context.currentUser.personId);
    const failing = await findFailing(em, products);
    const unread = await unreadOf(context);
    const formToken = sessionFormToken(context);
    return page(context, notificationsPage({ found, failing, before, unread, formToken }));
  },
});

const readForm = z.object({ notification: z.literal('all').or(uuid().toLowerCase()) });

const saveRead = defineRoute({
  ...shared,
  method: 'POST',
  limit: 'settings',
  summary: 'Mark notifications as read',
  proof: 'none',
  input: { body: { kind: 'form', shape: readForm } },
  statuses: [303],
  errors: FORM_ERRORS,
  async handler(context) {
    const { notification } = context.body;
    const notificationId = notification === 'all' ? null : notification;
    const { personId } = context.currentUser;
    await markNotifications(context.services.database.em(), { personId, notificationId });
    return redirect(withNotice(NOTIFICATIONS, 'notifications_read'));
  },
});

export const routes = [showNotifications, saveRead];
