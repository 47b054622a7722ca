import { deskGround } from './migrations/desk-0001-ground.ts'
import { deskSubjects } from './migrations/desk-0002-subjects.ts'
import { deskModifications } from './migrations/desk-0003-modifications.ts'
import { deskScanKinds } from './migrations/desk-0004-scan-kinds.ts'
import { deskQueue } from './migrations/desk-0005-queue.ts'
import { deskJournal } from './migrations/desk-0006-journal.ts'
import { deskStatuses } from './migrations/desk-0007-statuses.ts'
import { deskPaper } from './migrations/desk-0008-paper.ts'
import { deskScanChoices } from './migrations/desk-0009-scan-choices.ts'
import { deskLookAround } from './migrations/desk-0010-look-around.ts'
import { deskDecisions } from './migrations/desk-0011-decisions.ts'
import { deskKeptLocations } from './migrations/desk-0012-kept-locations.ts'
import { deskShortQuestions } from './migrations/desk-0013-short-questions.ts'

/** desk.db's schema, step by step. */
export const deskMigrations = [
  deskGround,
  deskSubjects,
  deskModifications,
  deskScanKinds,
  deskQueue,
  deskJournal,
  deskStatuses,
  deskPaper,
  deskScanChoices,
  deskLookAround,
  deskDecisions,
  deskKeptLocations,
  deskShortQuestions,
]
