import { resolve } from 'node:path'
import { WrongField } from '../api/document-reader.ts'
import { type RecordedAnswer, RecordedAnswers, type WebhookSettings } from '../controlplane/webhook-answers.ts'
import { readWebhookRecording, webhookRecording } from '../whatif/scenario/webhook-recording.ts'
import { serviceAddress } from './admission-options.ts'
import { flag, type OptionValues, type Ports, repeated, text, wrongQuestion } from './command.ts'
import { askLive } from './live-webhooks.ts'
import { toYaml } from './output.ts'
import { parseDocuments } from './yaml.ts'

/** How webhooks of the cluster are answered in a forecast. */
export const webhookOptions = {
  webhookRecording: repeated({
    summary: 'YAML file of kind WebhookRecording with the answers of webhooks',
    value: 'FILE',
  }),
  liveWebhooks: flag({ summary: 'Send requests to the webhooks of the cluster that no recording answers' }),
  recordWebhooks: text({ summary: 'File to write the answers of --live-webhooks to', value: 'FILE' }),
  ignoreWebhooks: flag({ summary: 'Accept requests that no webhook answers, even if failurePolicy is Fail' }),
  webhookService: repeated({
    summary: 'Address of a service that webhooks refer to, as NAMESPACE/NAME[:PORT]=HOST:PORT, for --live-webhooks',
    value: 'MAPPING',
  }),
} as const

export type WebhookValues = OptionValues<typeof webhookOptions>

/** Absent: webhooks do not answer, and their failurePolicy applies. */
export async function webhookSettingsOf(
  values: WebhookValues,
  ports: Pick<Ports, 'files' | 'cwd'>,
): Promise<{ readonly webhooks?: WebhookSettings }> {
  const { webhookRecording, liveWebhooks, ignoreWebhooks, webhookService } = values
  if (webhookRecording.length === 0 && !liveWebhooks && !ignoreWebhooks) return {}
  const recording: RecordedAnswer[] = []
  for (const file of webhookRecording) recording.push(...(await readRecording(file, ports)))
  return {
    webhooks: {
      recording,
      ...(liveWebhooks ? { live: askLive(), record: new RecordedAnswers() } : {}),
      ...(ignoreWebhooks ? { unanswered: 'allow' } : {}),
      services: new Map(webhookService.map(serviceAddress)),
    },
  }
}

async function readRecording(
  file: string,
  { files, cwd }: Pick<Ports, 'files' | 'cwd'>,
): Promise<readonly RecordedAnswer[]> {
  const path = resolve(cwd, file)
  if ((await files.kindOf(path)) === 'absent') throw wrongQuestion(`${file}: no such file`)
  const answers: RecordedAnswer[] = []
  for (const { value } of parseDocuments(await files.readText(path), file)) {
    try {
      answers.push(...readWebhookRecording(value))
    } catch (error) {
      if (error instanceof WrongField) throw wrongQuestion(`${file}: ${error.message}`)
      throw error
    }
  }
  return answers
}

/** The same for the forecasts of a console: writes the answers of live webhooks after each forecast. */
export async function forecastWebhooks(values: WebhookValues, ports: Pick<Ports, 'files' | 'cwd'>) {
  const settings = await webhookSettingsOf(values, ports)
  return { ...settings, onAnswer: () => saveRecording(values, settings.webhooks, ports) }
}

/** Writes the answers of live webhooks, so that the next forecast needs no connection. */
export async function saveRecording(
  { recordWebhooks: file }: WebhookValues,
  webhooks: WebhookSettings | undefined,
  { files, cwd }: Pick<Ports, 'files' | 'cwd'>,
): Promise<void> {
  if (file === undefined) return
  await files.writeText(resolve(cwd, file), toYaml(webhookRecording(webhooks?.record?.all() ?? [])))
}
