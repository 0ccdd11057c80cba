"""From the posterior to a decision: costs, rejection, ranking, and how good the decisions are."""
