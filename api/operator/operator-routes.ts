// The routes of operators.
import type { Route } from '../route.ts';
import { showAudit } from './audit.routes.ts';
import { showBuilders } from './people/builders.routes.ts';
import {
  changeFirstPartyClient,
  changeFirstPartyUris,
  createFirstPartyClient,
  showFirstPartyClients,
} from './clients.routes.ts';
import { showOperator } from './overview.routes.ts';
import { decideOnBuilder, showPerson } from './people/people.routes.ts';
import { memberPrices } from './money/member-prices.routes.ts';
import { changeCurrency, changeFee, showMoney } from './money/money.routes.ts';
import { poolRoutes } from './pool/pool-routes.ts';
import { changeProductState, showProducts } from './products.routes.ts';
import { resolveOneAlert, showAlerts } from './alerts/alerts.routes.ts';
import {
  retryProcessorEvent,
  setProcessorEventAside,
  showDeadLetters,
  showProcessorEvent,
} from './alerts/events.routes.ts';
import { answerOneAppeal, showAppeals } from './seals/appeals.routes.ts';
import { find } from './workflows/find.routes.ts';
import { showWorkflows } from './workflows/workflows.routes.ts';
import { sendMessageAgain, showDeadLetteredMessages } from './alerts/messages.routes.ts';

export const operatorRoutes: readonly Route[] = [
  showOperator,
  showBuilders,
  showPerson,
  decideOnBuilder,
  showFirstPartyClients,
  createFirstPartyClient,
  changeFirstPartyClient,
  changeFirstPartyUris,
  showProducts,
  changeProductState,
  showAppeals,
  answerOneAppeal,
  ...poolRoutes,
  showMoney,
  changeCurrency,
  changeFee,
  ...memberPrices,
  showAudit,
  showAlerts,
  resolveOneAlert,
  showDeadLetters,
  showProcessorEvent,
  retryProcessorEvent,
  setProcessorEventAside,
  showDeadLetteredMessages,
  sendMessageAgain,
  showWorkflows,
  find,
];
