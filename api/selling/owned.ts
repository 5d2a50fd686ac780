// What a person pays for again and again, in one list.
import type { Route } from '../route.ts';
import { member } from './member.routes.ts';
import { mySubscriptions } from './subscription.routes.ts';

export const renewals: readonly Route[] = [...member, ...mySubscriptions];
