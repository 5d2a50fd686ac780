// What went wrong behind the scenes and what operators decide about it, in one list.
import type { Route } from '../route.ts';
import { resolveOneAlert, showAlerts } from './trouble/alerts.routes.ts';
import {
  retryProcessorEvent,
  setProcessorEventAside,
  showParkedEvents,
  showProcessorEvent,
} from './trouble/events.routes.ts';
import { sendMessageAgain, showParkedMessages } from './trouble/messages.routes.ts';

export const troubleDesk: Route[] = [
  showAlerts,
  resolveOneAlert,
  showParkedEvents,
  showProcessorEvent,
  retryProcessorEvent,
  setProcessorEventAside,
  showParkedMessages,
  sendMessageAgain,
];
