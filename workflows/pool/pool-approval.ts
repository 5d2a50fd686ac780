import { ApplicationFailure, setHandler } from '@temporalio/workflow';
import { readApprovalCode } from '../../domain/pool/period/approval-code.ts';
import { records } from '../activities.ts';
import { approveUpdate, type PoolPeriodInput } from '../contracts.ts';

const WHERE = 'the page of the month in the console makes one';

const REFUSALS = {
  invalid_code: 'the code is not of this month, or not of an operator',
  expired_code: 'the code is older than five minutes',
};

/**
 * An approval is refused before it is in the history unless the period is in review and it brings a
 * code of the console. The row decides whether it is the first. A code that is in the history is
 * used up, or is so in five minutes.
 */
export function acceptApproval(input: PoolPeriodInput, readStatus: () => string): void {
  const validator = (code: string) => {
    if (readStatus() !== 'in_review') throw new Error(`it is not in review: ${readStatus()}`);
    if (readApprovalCode(String(code)) === null) throw new Error(`that is no code: ${WHERE}`);
  };
  const handler = async (code: string) => {
    const approved = await records.approvePool({ ...input, code });
    if (approved !== 'approved' && approved !== 'unchanged') {
      throw ApplicationFailure.nonRetryable(`${REFUSALS[approved]}: ${WHERE}`);
    }
    return approved;
  };
  setHandler(approveUpdate, handler, { validator });
}
