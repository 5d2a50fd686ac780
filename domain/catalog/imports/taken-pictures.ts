// The pictures that a person took from an import, and what became of them.
import type { ImportFindings } from './import-findings.ts';
import type { ImportRefusal } from './import-state.ts';

/** Why a found picture was not added. */
export type PictureProblem =
  | Exclude<ImportRefusal, 'forge_busy'>
  | 'no_picture'
  | 'too_many'
  /** More pictures than a product or a person may add in a day. */
  | 'too_many_today'
  | 'taken_down'
  | 'not_allowed';

export type TakenPicture = {
  kind: 'icon' | 'screenshot';
  /** The first one that makes a picture counts. */
  addresses: string[];
  /** Is null until the picture was fetched. */
  outcome: 'added' | 'failed' | null;
  failed: { address: string; problem: PictureProblem }[];
};

type Choice = { icon: boolean; screenshots: boolean };

export function takePictures(
  { icons, screenshots }: Pick<ImportFindings, 'icons' | 'screenshots'>,
  choice: Choice,
): TakenPicture[] {
  const fetched = { outcome: null, failed: [] };
  const icon = { kind: 'icon' as const, addresses: icons, ...fetched };
  return [
    ...(choice.icon && icons.length > 0 ? [icon] : []),
    ...(choice.screenshots ? screenshots : []).map((address) => ({
      kind: 'screenshot' as const,
      addresses: [address],
      ...fetched,
    })),
  ];
}

/** The place of the next picture to fetch; null when all were fetched. */
export function findNextPicture(pictures: readonly TakenPicture[]): number | null {
  const place = pictures.findIndex(({ outcome }) => outcome === null);
  return place === -1 ? null : place;
}
