// The routes of webhook endpoints, deliveries and recoveries.
import type { Route } from '../../http/route.ts';
import { showDeliveries } from './deliveries.routes.ts';
import { retryOneNow, sendOneAgain, showDelivery } from './delivery.routes.ts';
import { showRecoveries, showRecovery, startOneRecovery } from './recoveries.routes.ts';
import { showDiagnostics } from '../requests/diagnostics.routes.ts';
import { showIntegration } from '../integrate/integrate.routes.ts';
import { showRequests } from '../requests/requests.routes.ts';
import { rotateEndpointSecret, showSecret } from './endpoint-secret.routes.ts';
import { changeEndpointState, saveEndpoint, sendTest, showEndpoint } from './endpoint.routes.ts';
import { addEndpoint, showEndpoints } from './endpoints.routes.ts';
import { markNotifications, showNotifications } from '../notifications/notifications.routes.ts';

export const deliveryConsole: readonly Route[] = [
  showEndpoints,
  addEndpoint,
  showEndpoint,
  saveEndpoint,
  changeEndpointState,
  sendTest,
  showSecret,
  rotateEndpointSecret,
  showDeliveries,
  showDelivery,
  sendOneAgain,
  retryOneNow,
  showRecoveries,
  startOneRecovery,
  showRecovery,
  showDiagnostics,
  showIntegration,
  showRequests,
  showNotifications,
  markNotifications,
];
