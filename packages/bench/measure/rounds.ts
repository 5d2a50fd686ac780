import type { Stage } from '../stage.ts';

/**
 * Each round starts the processes that it asks for, and stops them: starts of the same code differ by
 * a tenth.
 */
export async function inRounds<Value>(
  stage: Stage,
  measure: (round: number) => Promise<Value>,
): Promise<Value[]> {
  const values: Value[] = [];
  for (let round = 1; round <= stage.rounds; round += 1) {
    stage.say(`  round ${round} of ${stage.rounds}`);
    values.push(await measure(round).finally(() => stage.servers.stop()));
  }
  return values;
}

export type Side<Value> = {
  /** V8 compiles a path only after it was taken often enough. */
  warmUp(): Promise<unknown>;
  measure(): Promise<Value>;
};

/** The sides take turns, in each second round in reverse: what drifts, drifts for all of them. */
export function compareSides<Name extends string, Value>(
  stage: Stage,
  start: () => Promise<Record<Name, Side<Value>>>,
): Promise<Record<Name, Value>[]> {
  return inRounds(stage, async (round) => {
    const sides = Object.entries(await start()) as [Name, Side<Value>][];
    const inTurn = round % 2 === 0 ? sides : sides.toReversed();
    for (const [, side] of inTurn) await side.warmUp();
    const values = {} as Record<Name, Value>;
    for (const [name, side] of inTurn) values[name] = await side.measure();
    return values;
  });
}
