import { ApplicationFailure, setHandler } from '@temporalio/workflow';
import { records } from '../activities.ts';
import { approveUpdate, type PoolPeriodInput } from '../contracts.ts';

const LONGEST_HANDLE = 64;

/**
 * An approval is refused before it is in the history unless the period is in review. The row decides
 * whether it is the first, and only an operator's name counts.
 */
export function acceptApproval(input: PoolPeriodInput, readStatus: () => string): void {
  const validator = (operator: string) => {
    if (readStatus() !== 'in_review') throw new Error(`it is not in review: ${readStatus()}`);
    if (typeof operator !== 'string' || operator === '' || operator.length > LONGEST_HANDLE) {
      throw new Error('name the operator by handle');
    }
  };
  const handler = async (operator: string) => {
    const approved = await records.approvePool({ ...input, operator });
    if (approved === 'no_operator') throw ApplicationFailure.nonRetryable('that is no operator');
    return approved;
  };
  setHandler(approveUpdate, handler, { validator });
}
