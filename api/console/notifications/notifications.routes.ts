import { z } from 'zod';
import { markNotifications } from '../../../domain/notifications/notification.command.ts';
import { listNotifications } from '../../../domain/notifications/notification.repository.ts';
import { listProductsOf } from '../../../domain/catalog/product.repository.ts';
import { page, redirect } from '../../http/response.ts';
import { uuid } from '../../http/fields.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { defineRoute, SESSION_FORM, SESSION_PAGE } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { NOTIFICATIONS } from '../console-frame.ts';
import { findFailing } from '../requests/find-issues.ts';
import { notificationsPage } from './notifications.page.ts';
import { loadScope } from '../console-scope.ts';

const showNotifications = defineRoute({
  ...SESSION_PAGE,
  path: NOTIFICATIONS,
  summary: 'List notifications',
  input: { query: z.object({ before: uuid().optional().catch(undefined) }) },
  async handler(context) {
    const { before = null } = context.query;
    const em = context.services.database.em();
    const found = await listNotifications(em, { personId: context.currentUser.personId, before });
    const products = await listProductsOf(em, context.currentUser.personId);
    const failing = await findFailing(em, products);
    const scope = await loadScope(context);
    const formToken = sessionFormToken(context);
    return page(context, notificationsPage({ found, failing, before, scope, formToken }));
  },
});

const readForm = z.object({ notification: z.literal('all').or(uuid().toLowerCase()) });

const saveRead = defineRoute({
  ...SESSION_FORM,
  path: NOTIFICATIONS,
  summary: 'Mark notifications as read',
  proof: 'none',
  input: { body: { kind: 'form', shape: readForm } },
  async handler(context) {
    const { notification } = context.body;
    const notificationId = notification === 'all' ? null : notification;
    const { personId } = context.currentUser;
    await markNotifications(context.services.database.em(), { personId, notificationId });
    return redirect(withNotice(NOTIFICATIONS, 'notifications_read'));
  },
});

export const routes = [showNotifications, saveRead];
