/** A fault that its reader can mend: shown as its message alone, without a stack. */
export class StartFailure extends Error {
  override name = 'StartFailure';
}
