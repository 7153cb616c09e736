import { tell } from '../node-lifecycle/tell.ts'
import { describeStories } from '../story-file.ts'

describeStories(import.meta.dirname, tell)
