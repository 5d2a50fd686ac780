/** A business refusal that the caller must handle; an exception means a fault. */
export type Refusal<Reason extends string> = { refused: Reason };

export function refuse<Reason extends string>(reason: Reason): Refusal<Reason> {
  return { refused: reason };
}

export function isRefusal<Value extends object, Reason extends string>(
  answer: Value | Refusal<Reason>,
): answer is Refusal<Reason> {
  return 'refused' in answer;
}
