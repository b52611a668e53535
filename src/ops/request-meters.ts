import { type ErrorCode, errorMeanings } from '../domain/error.ts';
import {
  createHistogram,
  type Histogram,
  observe,
  secondsBounds,
} from '../domain/values/histogram.ts';

/** Answers that share their labels. */
export interface RequestSeries {
  readonly operation: string;
  readonly httpStatus: number;
  readonly seconds: Histogram;
}

/** Where all answers are counted that belong to no operation: documents, health, and what does not exist. */
const otherOperation = 'other';

/**
 * Counts answers in plain numbers, which are read when somebody asks for them: the hottest path of all does no more
 * than add. Only operations, statuses and error codes tell one count from another, so there is an end to them.
 */
export function createRequestMeters() {
  const series: RequestSeries[] = [];
  const refusals: Record<string, number> = {};
  for (const code of Object.keys(errorMeanings)) refusals[code] = 0;

  return {
    series: series as readonly RequestSeries[],
    /** How often each error code was answered. */
    refusals: refusals as Readonly<Record<string, number>>,
    meterOf(operation = otherOperation) {
      const byStatus = new Map<number, Histogram>();
      return (httpStatus: number, refusal: ErrorCode | undefined, seconds: number): void => {
        let histogram = byStatus.get(httpStatus);
        if (histogram === undefined) {
          histogram = createHistogram(secondsBounds);
          byStatus.set(httpStatus, histogram);
          series.push({ operation, httpStatus, seconds: histogram });
        }
        observe(histogram, seconds);
        if (refusal !== undefined) refusals[refusal] = (refusals[refusal] ?? 0) + 1;
      };
    },
  };
}

export type RequestMeters = ReturnType<typeof createRequestMeters>;
