/** Turns the named columns of a row from text into dates; null stays null. */
export function withInstants<Row extends object>(row: Row, names: readonly (keyof Row)[]): Row {
  const instants = names.map((name) => {
    const at = row[name] as Date | string | null | undefined;
    return [name, at && new Date(at)];
  });
  return { ...row, ...Object.fromEntries(instants) };
}
