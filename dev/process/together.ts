/** Waits for all of them; the first failure calls `onFailure`, so that the others can give up, and is thrown at the end. */
export async function together<Results extends unknown[]>(
  onFailure: (fault: unknown) => void,
  tasks: { [Index in keyof Results]: Promise<Results[Index]> },
): Promise<Results> {
  const faults: unknown[] = [];
  const watched = tasks.map((task: Promise<unknown>) =>
    task.catch((fault: unknown) => {
      faults.push(fault);
      onFailure(fault);
    }),
  );
  const results = await Promise.all(watched);
  if (faults.length > 0) throw faults[0];
  return results as Results;
}
