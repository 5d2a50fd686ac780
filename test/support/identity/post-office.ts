import { createMailer } from '../../../clients/mail.ts';
import { createEncryptor, type TokenSigner } from '../../../domain/shared/secrets.ts';
import { startMailbox } from '../../../dev/mail/mailbox.ts';
import { resolvePorts } from '../../../dev/ports.ts';
import type { TaskQueue } from '../../../workflows/contracts.ts';
import type { TestApi } from '../http/api.ts';
import { eventually } from '../eventually.ts';
import { openStage } from '../engines/worker.ts';

type Served = { api: TestApi; signer: TokenSigner; taskQueues?: TaskQueue[] };

export type PostOffice = Awaited<ReturnType<typeof startPostOffice>>;

/** The application's mails, sent by the worker over SMTP into a mailbox. */
export async function startPostOffice({ api, signer, taskQueues = ['mail'] }: Served) {
  const { smtpPort, pagePort } = await resolvePorts({ smtpPort: 0, pagePort: 0 });
  const mailbox = await startMailbox({ smtpPort, pagePort, hosts: ['127.0.0.1'] });
  const url = `smtp://127.0.0.1:${smtpPort}`;
  const mailer = createMailer({ url, from: 'Gatehouse <no-reply@gatehouse.example>' });
  const stage = await openStage({
    taskQueues,
    processor: api.processor,
    testDatabase: api.test,
    mailer,
    signer,
    encryptor: createEncryptor(api.config.secretKeys),
    baseUrl: api.url,
  });
  stage.closeLater(async () => mailer.close());
  let publisher = stage.startPublisher();
  await stage.startWorkers();
  return {
    stage,
    /** What is to be sent to workflows meanwhile is sent afterwards. */
    async holdMessages<Result>(work: () => Promise<Result>): Promise<Result> {
      await publisher.stop();
      try {
        return await work();
      } finally {
        publisher = stage.startPublisher();
      }
    },
    mailbox,
    pageUrl: `http://127.0.0.1:${pagePort}`,
    mailTo: async (address: string, subject: RegExp) =>
      (await eventually(
        () => mailbox.mails.find((mail) => mail.to[0] === address && subject.test(mail.subject)),
        (mail) => mail !== undefined,
      ))!,
    /** The path of the link in a mail. */
    linkIn: (text: string) => /http:\/\/\S+/.exec(text)![0].replace(api.url, ''),
    async close() {
      await stage.close();
      await mailbox.stop();
    },
  };
}
