// The routes of operators.
import type { Route } from '../http/route.ts';
import { showAudit } from './audit/audit.routes.ts';
import { showBuilders } from './people/builders.routes.ts';
import {
  changeFirstPartyClient,
  changeFirstPartyUris,
  createFirstPartyClient,
  showFirstPartyClients,
} from './catalog/clients.routes.ts';
import { showOperator } from './overview.routes.ts';
import { decideOnBuilder, showPerson } from './people/people.routes.ts';
import { memberPrices } from './money/member-prices.routes.ts';
import { changeCurrency, changeFee, showMoney } from './money/money.routes.ts';
import { poolRoutes } from './money/pool-routes.ts';
import { changeProductState, showProducts } from './catalog/products.routes.ts';
import { resolveOneAlert, showAlerts } from './running/alerts.routes.ts';
import {
  retryProcessorEvent,
  setProcessorEventAside,
  showDeadLetters,
  showProcessorEvent,
} from './running/events.routes.ts';
import { answerOneAppeal, showAppeals } from './catalog/appeals.routes.ts';
import { find } from './running/find.routes.ts';
import { showWorkflows } from './running/workflows.routes.ts';
import { sendMessageAgain, showDeadLetteredMessages } from './running/messages.routes.ts';

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
