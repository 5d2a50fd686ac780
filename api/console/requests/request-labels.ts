import type { HtmlSafeString } from '@prairielearn/html';
import { isRefusal } from '../../../domain/request-log/log-sampling.ts';
import { pill } from '../../html/parts/pill.ts';

export function requestPill(status: number): HtmlSafeString {
  const tone = status >= 500 ? 'bad' : isRefusal(status) ? 'warn' : 'neutral';
  return pill({ word: String(status), tone });
}

/** What all routes of the API begin with says nothing in a list of them. */
export function shortRoute(route: string): string {
  return route.replace(/ \/api(\/v1)?/, ' ');
}
