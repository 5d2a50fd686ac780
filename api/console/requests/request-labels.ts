import type { HtmlSafeString } from '@prairielearn/html';
import { isRefusal } from '../../../domain/request-log/log-sampling.ts';
import { pill } from '../../html/parts/pill.ts';

export function requestMark(status: number): HtmlSafeString {
  return pill({ word: String(status), tone: isRefusal(status) ? 'bad' : 'ok' });
}

/** What all routes of the API begin with says nothing in a list of them. */
export function shortRoute(route: string): string {
  return route.replace(/ \/api(\/v1)?/, ' ');
}
