// The surface, in one list.
import { showBadge } from './catalog/badge.routes.ts';
import { showHome, showProduct } from './catalog/store.routes.ts';
import {
  changeRedirectUris,
  changeRegisteredClient,
  createRegisteredClient,
  showClients,
} from './console/credentials/clients.routes.ts';
import { showProductAudit, showTeamAudit } from './console/audit.routes.ts';
import { showConsole, showRoles } from './console/console.routes.ts';
import { createDraft, showNewProduct } from './console/products/new-product.routes.ts';
import { showDisputes } from './console/products/disputes.routes.ts';
import { showManagedProduct } from './console/products/product.routes.ts';
import { accept, showInvitation } from './console/teams/acceptance.routes.ts';
import { sendInvitation, takeInvitationBack } from './console/teams/invitations.routes.ts';
import {
  askToLeave,
  askToRemove,
  changeRole,
  leaveTeam,
  removeMember,
} from './console/teams/members.routes.ts';
import {
  askToDeleteTeam,
  askToMakeOwner,
  makeOwner,
  removeTeam,
} from './console/teams/ownership.routes.ts';
import { rename, showTeam } from './console/teams/team.routes.ts';
import { createTeam, showTeams } from './console/teams/teams.routes.ts';
import { showTransfer, transfer } from './console/products/transfer.routes.ts';
import { rotateEndpointSecret, showSecret } from './console/endpoints/endpoint-secret.routes.ts';
import {
  changeEndpointState,
  saveEndpoint,
  sendTest,
  showEndpoint,
} from './console/endpoints/endpoint.routes.ts';
import { addEndpoint, showEndpoints } from './console/endpoints/endpoints.routes.ts';
import { catalogue } from './console/catalogue/catalogue.ts';
import { deliveryConsole } from './console/delivery-console.ts';
import { productConsole } from './console/product-console.ts';
import { askForVerification, showVerification } from './console/verification.routes.ts';
import { documentRoute, referenceFiles, showReference } from './docs/docs.routes.ts';
import { checkEntitlement } from './entitlements/entitlements.routes.ts';
import { showHealth, showReadiness } from './health/health.routes.ts';
import {
  forgetPassword,
  resetPassword,
  showForgotPassword,
  showResetPassword,
} from './identity/mail-links/reset-password.routes.ts';
import {
  confirmEmail,
  showCheckMail,
  showVerifyEmail,
} from './identity/mail-links/verify-email.routes.ts';
import {
  addPasskey,
  offerNewPasskey,
  offerPasskeySignIn,
  removeOnePasskey,
  signInWithPasskey,
} from './identity/passkeys/passkeys.routes.ts';
import { askForEmail, changePassword } from './identity/settings/credentials.routes.ts';
import { deleteAccount, showDeleteAccount } from './identity/settings/delete-account.routes.ts';
import { removePicture, savePicture } from './identity/settings/picture.routes.ts';
import { saveProfile, showProfile, showSettings } from './identity/settings/profile.routes.ts';
import {
  endOneSession,
  sendVerification,
  showSecurity,
  signOutEverywhere,
} from './identity/settings/security.routes.ts';
import { showSignIn, signIn, signOut } from './identity/sign-in.routes.ts';
import {
  offerFirstPasskey,
  showPasskeySignUp,
  signUpWithPasskey,
} from './identity/sign-up/passkey-sign-up.routes.ts';
import { showSignUp, signUp } from './identity/sign-up/sign-up.routes.ts';
import { revokeApp, showApps } from './identity/apps.routes.ts';
import { showAvatar, showPersonImage } from './identity/person-image.routes.ts';
import { authorize, consent } from './oauth/authorize.routes.ts';
import { showMetadata } from './oauth/metadata.routes.ts';
import { readProfile } from './oauth/profile.routes.ts';
import { exchangeToken, revoke } from './oauth/token.routes.ts';
import { showAudit } from './operator/audit.routes.ts';
import { showBuilders } from './operator/people/builders.routes.ts';
import {
  changeFirstPartyClient,
  changeFirstPartyUris,
  createFirstPartyClient,
  showFirstPartyClients,
} from './operator/clients.routes.ts';
import { showOperator } from './operator/overview.routes.ts';
import { decideOnBuilder, showPerson } from './operator/people/people.routes.ts';
import { troubleDesk } from './operator/trouble-desk.ts';
import type { Route } from './route.ts';
import {
  downloadEntries,
  showLatestStatement,
  showStatement,
} from './console/statements/statements.routes.ts';
import { buy } from './selling/buy.routes.ts';
import { receiveProcessorEvent } from './selling/processor-events.routes.ts';
import { owned } from './selling/owned.ts';
import { reportUsage } from './usage/usage.routes.ts';
import { assets } from './views/assets.routes.ts';

const api: Route[] = [
  showHealth,
  showReadiness,
  checkEntitlement,
  reportUsage,
  receiveProcessorEvent,
];

const oauth: Route[] = [authorize, consent, exchangeToken, revoke, showMetadata, readProfile];

const selling: Route[] = [buy, showBadge];

const endpoints: Route[] = [
  showEndpoints,
  addEndpoint,
  showEndpoint,
  saveEndpoint,
  changeEndpointState,
  sendTest,
  showSecret,
  rotateEndpointSecret,
];

const pages: Route[] = [
  showHome,
  showProduct,
  showSignIn,
  signIn,
  signOut,
  showConsole,
  showRoles,
  showNewProduct,
  createDraft,
  showManagedProduct,
  showDisputes,
  showLatestStatement,
  showStatement,
  downloadEntries,
  showTransfer,
  transfer,
  showProductAudit,
  showClients,
  createRegisteredClient,
  changeRegisteredClient,
  changeRedirectUris,
  showApps,
  revokeApp,
  showReference,
];

const people: Route[] = [
  showSignUp,
  signUp,
  showPasskeySignUp,
  offerFirstPasskey,
  signUpWithPasskey,
  showCheckMail,
  showVerifyEmail,
  confirmEmail,
  showForgotPassword,
  forgetPassword,
  showResetPassword,
  resetPassword,
  offerPasskeySignIn,
  signInWithPasskey,
];

const teams: Route[] = [
  showTeams,
  createTeam,
  showTeam,
  rename,
  showTeamAudit,
  changeRole,
  askToRemove,
  removeMember,
  askToLeave,
  leaveTeam,
  askToMakeOwner,
  makeOwner,
  askToDeleteTeam,
  removeTeam,
  sendInvitation,
  takeInvitationBack,
  showInvitation,
  accept,
];

const settings: Route[] = [
  showSettings,
  showProfile,
  saveProfile,
  savePicture,
  removePicture,
  showSecurity,
  sendVerification,
  askForEmail,
  changePassword,
  offerNewPasskey,
  addPasskey,
  removeOnePasskey,
  endOneSession,
  signOutEverywhere,
  showDeleteAccount,
  deleteAccount,
  ...owned,
];

const operator: Route[] = [
  showVerification,
  askForVerification,
  showOperator,
  showBuilders,
  showPerson,
  decideOnBuilder,
  showFirstPartyClients,
  createFirstPartyClient,
  changeFirstPartyClient,
  changeFirstPartyUris,
  showAudit,
];

const described = [
  ...api,
  ...oauth,
  ...selling,
  ...pages,
  ...productConsole,
  ...catalogue,
  ...deliveryConsole,
  ...teams,
  ...endpoints,
  ...people,
  ...settings,
  ...operator,
  ...troubleDesk,
];

export const ROUTES: readonly Route[] = [
  ...described,
  documentRoute(described),
  referenceFiles,
  showAvatar,
  showPersonImage,
  assets,
];
