const DAY_MS = 86_400_000;
/** Of 16 bytes each: 4 MiB, of which only what is written to is ever taken. */
const SLOTS = 2 ** 18;

type Report = {
  /** SHA-256 of the token. */
  hash: Buffer;
  at: Date;
  isQualifying: boolean;
};

/**
 * Tokens whose reports this process has seen committed, each with the last day of them. Numbers in
 * one array: as many strings would burden every collection of garbage. A token's slot follows from
 * its hash; another token that comes to it takes it, which costs the first one more commit.
 */
export function createReportedTokens(slots = SLOTS) {
  const words = new Uint32Array(4 * slots);
  const placeOf = (hash: Buffer) => 4 * (hash.readUInt32LE(12) % slots);
  const isOf = (hash: Buffer, place: number) =>
    words[place] === hash.readUInt32LE(0) &&
    words[place + 1] === hash.readUInt32LE(4) &&
    words[place + 2] === hash.readUInt32LE(8);
  return {
    /** The row of its day says already what this would make it say: nothing but counts would change. */
    covers({ hash, at, isQualifying }: Report): boolean {
      const place = placeOf(hash);
      const said = words[place + 3]!;
      return (
        isOf(hash, place) &&
        (said === toWord(at, true) || (!isQualifying && said === toWord(at, false)))
      );
    },
    remember({ hash, at, isQualifying }: Report): void {
      const place = placeOf(hash);
      const wasQualifying = isOf(hash, place) && words[place + 3] === toWord(at, true);
      for (const word of [0, 1, 2]) words[place + word] = hash.readUInt32LE(4 * word);
      words[place + 3] = toWord(at, isQualifying || wasQualifying);
    },
  };
}

/** Never 0, as in a slot that nobody has. */
function toWord(at: Date, isQualifying: boolean): number {
  return 2 * Math.floor(at.getTime() / DAY_MS) + Number(isQualifying);
}
