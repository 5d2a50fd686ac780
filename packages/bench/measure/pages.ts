import { ENTITIES } from '../../../domain/entities.ts';
import { startSession } from '../../../domain/identity/session.repository.ts';
import { openDatabase } from '../../../platform/database/database.ts';
import { personIdOf } from '../data/people.ts';
import type { Stage } from '../stage.ts';
import { inRounds } from './rounds.ts';
import { median } from './statistics.ts';

/** The cookie of the owner of the first product. */
export async function signIn({ databaseUrl: url }: Stage): Promise<string> {
  const database = openDatabase({ url, listenUrl: url, name: 'bench', entities: ENTITIES });
  const session = { personId: personIdOf(1), device: 'Bench' };
  const token = await startSession(database.em(), session);
  await database.close();
  return `gatehouse_session=${token}`;
}

type Timed = {
  path: string;
  cookie: string;
  pages: number;
  /** Stands in the page where it shows what it should. */
  holds: string;
};

/** Medians of rounds in ms, one page after the other; as many before warm up. */
export async function timePages(stage: Stage, timed: Timed): Promise<number[]> {
  const { path, cookie, pages, holds } = timed;
  return inRounds(stage, async () => {
    const { origin } = await stage.servers.get('api');
    const times: number[] = [];
    for (let page = 0; page < 2 * pages; page += 1) {
      const startedAt = performance.now();
      const answer = await fetch(origin + path, { headers: { cookie }, redirect: 'manual' });
      const shown = await answer.text();
      times.push(performance.now() - startedAt);
      if (!shown.includes(holds)) throw new Error(`the page was answered ${answer.status}`);
    }
    return median(times.slice(pages));
  });
}
