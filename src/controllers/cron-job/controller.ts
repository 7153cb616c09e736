import { objectKey } from '../../api/object-key.ts'
import { referenceTo } from '../../api/object-reference.ts'
import type { CronJob } from '../../api/objects/workloads.ts'
import { isControlledBy } from '../../api/owner-references.ts'
import { reachedAt } from '../../base/clock.ts'
import type { ChangeOf, Controller, EventRecord } from '../../runtime/controller.ts'
import {
  type AfterResults,
  controllerOfKind,
  createReconcilerController,
  type KeyedResult,
  type ReconcileContext,
  type ReconcileResult,
} from '../../runtime/reconciler.ts'
import type { View } from '../../runtime/view.ts'
import { type EventNote, isNamespaceTerminating } from '../event-note.ts'
import { PendingNotes } from '../pending-notes.ts'
import { cronJobKind, decideCronJob, type Started, scheduleOf } from './decide-cron-job.ts'
import { JobsByOwnerName } from './jobs-by-owner-name.ts'
import { nextLookAt } from './schedule-times.ts'

export const cronJobController = 'cronjob-controller'

export interface CronJobOptions {
  /** Jobs are counted by the uid of their owner instead of its name (since v1.37). */
  readonly countsByUid?: boolean
}

export function createCronJobController({ countsByUid = true }: CronJobOptions = {}): Controller {
  const state = new CronJobs(countsByUid ? undefined : new JobsByOwnerName())
  return createReconcilerController({
    name: cronJobController,
    wakes: {
      'cronjobs.batch': (change) => state.changed(change),
      'jobs.batch': (change) => {
        state.byName?.note(change)
        const keys = ownersOf(change)
        for (const key of keys) state.rescheduled.delete(key)
        return keys
      },
    },
    reconcile: (key, context) => state.reconcile(key, context),
    onResults: (key, results, { view }) => state.takeResults(key, results, view),
  })
}

const ownersOf = controllerOfKind('CronJob')

class CronJobs {
  /** CronJobs of which only the schedule has changed: they wait for the next scheduled time. */
  readonly rescheduled = new Set<string>()
  private readonly plans = new PendingNotes()
  private readonly starting = new Map<string, Started>()
  private readonly started = new Map<string, Started>()
  readonly byName: JobsByOwnerName | undefined

  constructor(byName: JobsByOwnerName | undefined) {
    this.byName = byName
  }

  changed({ key, before, after }: ChangeOf<'cronjobs.batch'>): string {
    const isRescheduled =
      before !== undefined &&
      after !== undefined &&
      (before.spec?.schedule !== after.spec?.schedule || before.spec?.timeZone !== after.spec?.timeZone)
    if (isRescheduled) this.rescheduled.add(key)
    else this.rescheduled.delete(key)
    return key
  }

  reconcile(key: string, context: ReconcileContext): ReconcileResult | undefined {
    const { view, wall } = context
    const cronJob = view.get('cronjobs.batch', key)
    if (cronJob?.spec === undefined) {
      this.plans.forget(key)
      this.starting.delete(key)
      this.started.delete(key)
      return undefined
    }
    const notes: EventNote[] = [...this.plans.takeNotes(key)]
    if (this.rescheduled.delete(key)) return awaitSchedule(cronJob, notes, context)
    const decision = decideCronJob({
      cronJob,
      jobs: this.byName?.of(cronJob, view) ?? view.controlledBy('jobs.batch', cronJob.metadata.uid ?? ''),
      started: this.started.get(key),
      now: wall,
    })
    this.started.delete(key)
    if (decision.starts !== undefined) this.starting.set(key, decision.starts)
    notes.push(...decision.notes)
    return {
      actions: this.plans.remember(key, decision.planned).map((call) => context.call(call)),
      events: notes.map((note) => eventOf(cronJob, note)),
      ...(decision.wakeAt === undefined ? {} : { wakeAt: reachedAt(decision.wakeAt, context) }),
    }
  }

  takeResults(key: string, results: readonly KeyedResult[], view: View): AfterResults | undefined {
    const hasNews = this.plans.settle(key, results)
    const creation = results.find(({ call }) => call.verb === 'create')
    const starting = this.starting.get(key)
    this.starting.delete(key)
    if (creation !== undefined && starting !== undefined) {
      if (creation.outcome.ok || isOwn(key, creation, starting, view)) {
        this.started.set(key, starting)
        return 'again'
      }
      if (creation.outcome.status.reason === 'AlreadyExists') return 'done'
      return isNamespaceTerminating(creation.outcome) ? 'done' : 'retry'
    }
    return hasNews ? 'again' : undefined
  }
}

/** The Job exists and belongs to this CronJob: it was created earlier, and the status was not written. */
function isOwn(key: string, { call, outcome }: KeyedResult, { name }: Started, view: View): boolean {
  if (outcome.ok || outcome.status.reason !== 'AlreadyExists') return false
  const cronJob = view.get('cronjobs.batch', key)
  const job = view.get('jobs.batch', objectKey(call.namespace, name))
  return cronJob !== undefined && job !== undefined && isControlledBy(job, cronJob)
}

function awaitSchedule(cronJob: CronJob, notes: readonly EventNote[], context: ReconcileContext): ReconcileResult {
  const { schedule } = scheduleOf(cronJob)
  const unparseable: EventNote = {
    type: 'Warning',
    reason: 'UnParseableCronJobSchedule',
    message: `unparseable schedule for cronjob: ${cronJob.spec?.schedule}`,
  }
  const told = schedule.ok ? notes : [...notes, unparseable]
  const wakeAt = schedule.ok ? nextLookAt(cronJob, schedule.value, context.wall) : undefined
  return {
    events: told.map((note) => eventOf(cronJob, note)),
    ...(wakeAt === undefined ? {} : { wakeAt: reachedAt(wakeAt, context) }),
  }
}

function eventOf(cronJob: CronJob, note: EventNote): EventRecord {
  return { regarding: referenceTo(cronJob, cronJobKind), api: 'core', ...note }
}
