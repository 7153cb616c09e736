import { notAsked, type WebhookUse } from '../../controlplane/webhook-answers.ts'
import type { ForecastRun } from '../run/forecast-run.ts'
import type { ForecastNote } from './forecast.ts'
import { counted } from './phrases.ts'

const requests = (count: number): string => counted(count, 'request')

/** What a reader must know about admission: which webhooks were not asked, and what was denied. */
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

const because = (reason: string): string => (reason === '' || reason === notAsked ? '' : ` (${reason})`)

const remedy = 'record its answers (--webhook-recording) or ask it (--live-webhooks)'

function notesOf(use: WebhookUse, isIgnored: boolean): readonly ForecastNote[] {
  const { webhook, configuration, purpose, failurePolicy, recorded, live, skipped, failed, denied, reason } = use
  const who =
    purpose === 'convert' ? `the conversion webhook of ${configuration}` : `the webhook ${webhook} (${configuration})`
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
