/** A row as a statement answers it, in which instants are texts: those named become dates, null stays null. */
export function withInstants<Row extends object>(row: Row, names: readonly (keyof Row)[]): Row {
  const instants = names.map((name) => {
    const at = row[name] as Date | string | null | undefined;
    return [name, at && new Date(at)];
  });
  return { ...row, ...Object.fromEntries(instants) };
}
