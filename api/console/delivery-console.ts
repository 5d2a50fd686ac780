// What people see of webhook deliveries and do with them, in one list.
import type { Route } from '../route.ts';
import { showDeliveries } from './deliveries/deliveries.routes.ts';
import { retryOneDelivery, showDelivery } from './deliveries/delivery.routes.ts';
import { showRecoveries, showRecovery, startOneRecovery } from './deliveries/recoveries.routes.ts';
import { showDiagnostics } from './diagnostics/diagnostics.routes.ts';
import { markNotifications, showNotifications } from './notifications/notifications.routes.ts';

export const deliveryConsole: Route[] = [
  showDeliveries,
  showDelivery,
  retryOneDelivery,
  showRecoveries,
  startOneRecovery,
  showRecovery,
  showDiagnostics,
  showNotifications,
  markNotifications,
];
