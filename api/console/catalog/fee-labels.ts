// The platform's fee, in the words of the console.

/** `10 %` */
export function writeFee(basisPoints: number): string {
  return `${basisPoints / 100} %`;
}
