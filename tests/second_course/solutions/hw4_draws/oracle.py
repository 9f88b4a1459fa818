"""No answer is expected of this homework: its checks know the laws of the draws."""
