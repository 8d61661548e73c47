"""``consclust bench``: somebody's own method as a row of the leaderboard."""
