const DAY_MS = 86_400_000;
/** 16 bytes each: 4 MiB, of which only written pages take memory. */
const SLOTS = 2 ** 18;

type Report = {
  /** SHA-256 of the token. */
  hash: Buffer;
  at: Date;
  isQualifying: boolean;
};

/**
 * Tokens whose reports this process has seen committed, each with the last day. One array of
 * numbers: as many strings would burden every garbage collection. A token's slot derives from its
 * hash; a token that takes another's slot costs that one one more commit.
 */
export function createReportedTokens(slots = SLOTS) {
  const words = new Uint32Array(4 * slots);
  const placeOf = (hash: Buffer) => 4 * (hash.readUInt32LE(12) % slots);
  const isOf = (hash: Buffer, place: number) =>
    words[place] === hash.readUInt32LE(0) &&
    words[place + 1] === hash.readUInt32LE(4) &&
    words[place + 2] === hash.readUInt32LE(8);
  return {
    /** True when the row of the day already says as much: only counts would change. */
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

/** Never 0, which marks a free slot. */
function toWord(at: Date, isQualifying: boolean): number {
  return 2 * Math.floor(at.getTime() / DAY_MS) + Number(isQualifying);
}
