/** A sum that may grow beyond 2^53: bigint, with the cost of numbers while it is small. */
export class ExactSum {
  #low = 0;
  #high = 0n;

  add(amount: number): void {
    const sum = this.#low + amount;
    if (Number.isSafeInteger(sum)) this.#low = sum;
    else {
      this.#high += BigInt(this.#low) + BigInt(amount);
      this.#low = 0;
    }
  }

  get value(): bigint {
    return this.#high + BigInt(this.#low);
  }
}
