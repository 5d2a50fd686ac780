/** A business refusal that the caller must handle; an exception means a fault. */
export type Refusal<Reason extends string> = { refused: Reason };

export function refuse<Reason extends string>(reason: Reason): Refusal<Reason> {
  return { refused: reason };
}

/**
 * Thrown where a command has to refuse after its first write: `inTransaction` rolls it back, and
 * returns the refusal. Inside another command it would end that one: only handlers call such a command.
 */
export class LateRefusal<Reason extends string> extends Error {
  readonly refusal: Refusal<Reason>;

  constructor(reason: Reason) {
    super(reason);
    this.refusal = refuse(reason);
  }
}

export function isRefusal<Value extends object, Reason extends string>(
  answer: Value | Refusal<Reason>,
): answer is Refusal<Reason> {
  return 'refused' in answer;
}
