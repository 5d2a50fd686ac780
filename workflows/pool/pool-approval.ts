import { ApplicationFailure, setHandler } from '@temporalio/workflow';
import { isHandle } from '../../domain/identity/person-fields.ts';
import { records } from '../activities.ts';
import { approveUpdate, type PoolPeriodInput } from '../contracts.ts';

/**
 * An approval is refused before it is in the history unless the period is in review. The row decides
 * whether it is the first, and only an operator's name counts.
 */
export function acceptApproval(input: PoolPeriodInput, readStatus: () => string): void {
  const validator = (operator: string) => {
    if (readStatus() !== 'in_review') throw new Error(`it is not in review: ${readStatus()}`);
    if (!isHandle(operator)) throw new Error('name the operator by handle');
  };
  const handler = async (operator: string) => {
    const approved = await records.approvePool({ ...input, operator });
    if (approved === 'no_operator') throw ApplicationFailure.nonRetryable('that is no operator');
    return approved;
  };
  setHandler(approveUpdate, handler, { validator });
}
