import { notAsked, type WebhookUse } from '../../controlplane/webhook-answers.ts'
import type { ForecastRun } from '../run/forecast-run.ts'
import type { ForecastNote } from './forecast.ts'
import { counted } from './phrases.ts'

const requests = (count: number): string => counted(count, 'request')

/** Notes about admission: webhooks that were not called, and requests that were denied. */
export function webhookNotes({ cluster, plan }: ForecastRun): readonly ForecastNote[] {
  const { webhooks, denials } = cluster
  const isIgnored = plan.webhooks?.unanswered === 'allow'
  return [
    ...webhooks.uses().flatMap((use) => notesOf(use, isIgnored)),
    ...denials.all().map(
      ({ policy, requests: count, message }): ForecastNote => ({
        kind: 'blocked',
        text: `the ValidatingAdmissionPolicy ${policy} denied ${requests(count)}: ${message}`,
      }),
    ),
  ]
}

/** The webhooks whose failurePolicy decided, because they were not answered. */
export function unansweredWebhooks({ cluster }: ForecastRun): readonly string[] {
  const uses = cluster.webhooks.uses().filter(({ failed, skipped }) => failed + skipped > 0)
  return uses.map(nameOf).sort()
}

/** One note for the webhooks that several forecasts did not answer. */
export function unansweredNotes(webhooks: readonly string[]): readonly ForecastNote[] {
  return [...new Set(webhooks)].sort().map((webhook) => ({
    kind: 'uncertain',
    text: `${webhook} was not answered, so its failurePolicy decided; ${remedy}`,
  }))
}

function nameOf({ purpose, configuration, webhook }: WebhookUse): string {
  if (purpose === 'convert') return `the conversion webhook of ${configuration}`
  return `the webhook ${webhook} (${configuration})`
}

const because = (reason: string): string => (reason === '' || reason === notAsked ? '' : ` (${reason})`)

const remedy = 'record its answers (--webhook-recording) or ask it (--live-webhooks)'

function notesOf(use: WebhookUse, isIgnored: boolean): readonly ForecastNote[] {
  const { purpose, failurePolicy, recorded, live, skipped, failed, denied, reason } = use
  const who = nameOf(use)
  const notes: ForecastNote[] = []
  if (failed > 0) {
    const why =
      purpose === 'convert' ? `${requests(failed)} failed` : `its failurePolicy Fail refused ${requests(failed)}`
    const how = purpose === 'convert' ? '' : `; ${remedy}, or leave it out (--ignore-webhooks)`
    notes.push({ kind: 'uncertain', text: `${who} was not answered${because(reason)}, so ${why}${how}` })
  }
  if (skipped > 0) {
    const why = isIgnored ? '--ignore-webhooks' : `its failurePolicy ${failurePolicy}`
    notes.push({
      kind: isIgnored ? 'assumed' : 'uncertain',
      text: `${who} was not answered${because(reason)}, and ${why} let ${counted(skipped, 'request')} pass without it; ${remedy}`,
    })
  }
  if (denied > 0) notes.push({ kind: 'blocked', text: `${who} denied ${requests(denied)}: ${reason}` })
  const answered = [
    ...(recorded > 0 ? [`${requests(recorded)} from a recording`] : []),
    ...(live > 0 ? [`${requests(live)} live`] : []),
  ]
  if (answered.length > 0) notes.push({ kind: 'assumed', text: `${who} answered ${answered.join(' and ')}` })
  return notes
}
